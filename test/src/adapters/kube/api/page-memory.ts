/**
 * Pages through a list and measures what stays in memory: `--expose-gc page-memory.ts PAGES`. A process of its own, as the
 * heap of a test run holds what other tests have left. Prints the used heap after each page, in bytes, as a JSON array.
 */
import { connectionTo, startLoopbackApi } from '../../../../support/loopback-api.ts';
import { KubeClient } from '../../../../../src/adapters/kube/api/client.ts';
import { NODES } from '../../../../../src/domain/kubernetes/resource.ts';

const pageCount = Number(process.argv[2]);
const collect = (globalThis as { readonly gc?: () => void }).gc;
if (collect === undefined) throw new Error('to be started with --expose-gc');

// 500 nodes of 2 KB each, sent as the same bytes for each page but for the first name, so that the server holds nothing per page.
const items = JSON.stringify(Array.from({ length: 500 }, (_, index) => ({ metadata: { name: index === 0 ? 'FIRST' : `n${index}`, annotations: Object.fromEntries(Array.from({ length: 20 }, (_unused, key) => [`a${key}`, 'x'.repeat(80)])) } })));
const pageOf = (number: number): Buffer => Buffer.from(`{"kind":"NodeList","apiVersion":"v1","metadata":{"resourceVersion":"1"${number + 1 < pageCount ? `,"continue":"${number + 1}"` : ''}},"items":${items.replace('FIRST', `first-of-${number}`)}}`);
// With TLS, as the sockets of plain HTTP are not the ones that once held every page.
const api = await startLoopbackApi((request, response) => {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.end(pageOf(Number(new URL(request.url, api.url).searchParams.get('continue') ?? 0)));
});

const client = new KubeClient(connectionTo(api));
const usedBytes: number[] = [];
for await (const page of client.list(NODES)) {
  if (page.items.length !== 500) throw new Error(`${page.items.length} items`);
  collect();
  const { heapUsed, external } = process.memoryUsage();
  usedBytes.push(heapUsed + external);
}
client.close();
await api.close();
process.stdout.write(`${JSON.stringify(usedBytes)}\n`);
