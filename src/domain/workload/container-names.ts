import { listText } from '../list-text.ts';
import { CONTAINER_LISTS, type Container } from './workload.ts';

type Named = Pick<Container, 'name' | 'list' | 'index'>;

const WORDS = { initContainers: 'init container', containers: 'container', ephemeralContainers: 'ephemeral container' } as const satisfies Readonly<Record<Container['list'], string>>;

/** A container in a message: its name, or `containers[1]` for one without. */
export function containerName({ name, list, index }: Named): string {
  return name === '' ? `${list}[${index}]` : name;
}

/** `container web`, `init container setup and container web`, `containers a, b and c`, each once; for one without a name `containers[1]`. */
export function containersText(containers: Iterable<Named>): string {
  const all = [...containers];
  const parts = CONTAINER_LISTS.flatMap((list) => {
    const ofList = all.filter((container) => container.list === list);
    const names = new Set(ofList.filter(({ name }) => name !== '').map(containerName));
    const nameless = new Set(ofList.filter(({ name }) => name === '').map(containerName));
    return [...(names.size === 0 ? [] : [`${WORDS[list]}${names.size === 1 ? '' : 's'} ${listText([...names])}`]), ...(nameless.size === 0 ? [] : [listText([...nameless])])];
  });
  return listText(parts);
}
