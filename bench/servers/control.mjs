// Commands to the processes of a measurement: JSON over HTTP on loopback, beside what is measured.
import Fastify from 'fastify';
import { request } from 'undici';

/** Serves commands until the process ends. @param {number} port @param {Record<string, (input: any) => unknown>} commands by name */
export async function serveCommands(port, commands) {
  // A command takes as long as its work.
  const app = Fastify({ requestTimeout: 0 });
  for (const [name, run] of Object.entries(commands)) {
    app.post(`/${name}`, async ({ body }, reply) => reply.send(JSON.stringify((await run(body)) ?? null)));
  }
  await app.listen({ port, host: '127.0.0.1' });
}

/** Tells a process to do something, and gives its answer. @param {number} port @returns {(command: string, input?: object) => Promise<any>} */
export const commandsOf =
  (port) =>
  async (command, input = {}) => {
    const options = {
      method: 'POST',
      headersTimeout: 0,
      bodyTimeout: 0,
      headers: { 'content-type': 'application/json' },
    };
    const url = `http://127.0.0.1:${port}/${command}`;
    const { statusCode, body } = await request(url, { ...options, body: JSON.stringify(input) });
    const answer = await body.text();
    if (statusCode !== 200) throw new Error(`${command} failed: ${answer}`);
    return JSON.parse(answer);
  };
