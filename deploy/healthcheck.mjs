// Every service's image has it: exits 0 when the service says that it is ready. Node is the only program there that speaks
// HTTP. Kubernetes asks the operations port itself.
import { get } from 'node:http';

/** Shorter than the limit of the image, so that the reason is printed. */
const TIMEOUT_MS = 4000;

const request = get(
  { host: '127.0.0.1', port: process.env.OPS_PORT, path: '/readyz', timeout: TIMEOUT_MS },
  (response) => {
    response.pipe(process.stdout);
    response.on('end', () => process.exit(response.statusCode === 200 ? 0 : 1));
  },
);
request.on('timeout', () => request.destroy(new Error(`no answer within ${TIMEOUT_MS} ms`)));
request.on('error', (error) => {
  process.stderr.write(`${error.message}\n`);
  process.exit(1);
});
