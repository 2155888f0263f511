// What a loop of `skopeo inspect` asks a registry for, image by image and one request after the other, by a program that does
// nothing else: the index, the manifest of one platform, its config. Usage: node sequence.mjs HOST:PORT REPOSITORY…
import http from 'node:http';

const [host, ...repositories] = process.argv.slice(2);
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
const accept = ['application/vnd.oci.image.index.v1+json', 'application/vnd.oci.image.manifest.v1+json', 'application/vnd.docker.distribution.manifest.list.v2+json', 'application/vnd.docker.distribution.manifest.v2+json'].join(', ');

const get = (path) => new Promise((resolve, reject) => {
  http.get(`http://${host}${path}`, { agent, headers: { Accept: accept } }, (response) => {
    const chunks = [];
    response.on('data', (chunk) => chunks.push(chunk));
    response.on('end', () => (response.statusCode === 200 ? resolve(JSON.parse(Buffer.concat(chunks).toString())) : reject(new Error(`${path}: ${response.statusCode}`))));
    response.on('error', reject);
  }).on('error', reject);
});

for (const repository of repositories) {
  const index = await get(`/v2/${repository}/manifests/1`);
  const windows = index.manifests.find(({ platform }) => platform.os === 'windows');
  const manifest = await get(`/v2/${repository}/manifests/${windows.digest}`);
  const config = await get(`/v2/${repository}/blobs/${manifest.config.digest}`);
  process.stdout.write(`${repository} ${config['os.version']}\n`);
}
agent.destroy();
