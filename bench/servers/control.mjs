// Commands to the processes of a measurement: JSON over HTTP on loopback, beside what is measured.
import http from 'node:http';
import { json, text } from 'node:stream/consumers';

/** Serves commands until the process ends. @param {number} port @param {Record<string, (input: any) => unknown>} commands by name */
export function serveCommands(port, commands) {
  const server = http.createServer(async (request, response) => {
    try {
      const answer = await commands[String(request.url).slice(1)]?.(await json(request));
      response.end(JSON.stringify(answer ?? null));
    } catch (error) {
      response.writeHead(500).end(error instanceof Error ? error.stack : String(error));
    }
  });
  // A command takes as long as its work.
  server.requestTimeout = 0;
  server.listen(port, '127.0.0.1');
}

/** Tells a process to do something, and gives its answer. @param {number} port @returns {(command: string, input?: object) => Promise<any>} */
export const commandsOf = (port) => (command, input) =>
  new Promise((resolve, reject) => {
    // fetch would give up after five minutes.
    const request = http.request({ port, host: '127.0.0.1', path: `/${command}`, method: 'POST' }, async (response) => {
      const answer = await text(response);
      if (response.statusCode === 200) resolve(JSON.parse(answer));
      else reject(new Error(`${command} failed: ${answer}`));
    });
    request.on('error', reject);
    request.end(JSON.stringify(input ?? null));
  });
