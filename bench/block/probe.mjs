// Loaded into a service before itself (`--import`): tells at BENCH_PROBE_PORT the longest block of its event loop since it was last
// asked, in microseconds of its thread's processor, so that other work on the machine does not count.
import { createServer } from 'node:http';
import { isMainThread } from 'node:worker_threads';

/** Node 24 has it. @type {(since?: object) => { user: number, system: number }} */
const usage = /** @type {any} */ (process).threadCpuUsage;

if (isMainThread && process.env.BENCH_PROBE_PORT) {
  let longest = 0;
  let since = usage();
  const look = () => {
    const { user, system } = usage(since);
    since = usage();
    longest = Math.max(longest, user + system);
  };
  setInterval(look, 1).unref();
  const server = createServer((_request, response) => {
    look();
    response.end(String(longest));
    longest = 0;
  });
  server.listen(Number(process.env.BENCH_PROBE_PORT), '127.0.0.1').unref();
}
