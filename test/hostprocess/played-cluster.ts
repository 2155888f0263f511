export { open } from '../prepull/played-cluster.ts';
