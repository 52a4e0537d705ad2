// Commands to the processes of this measurement: JSON over HTTP on loopback, beside what is measured.
import http from 'node:http';

/**
 * @typedef {Record<string, (input: any) => unknown>} Commands what a process does when it is told, by name
 */

/**
 * Serves commands until the process ends.
 * @param {number} port on 127.0.0.1
 * @param {Commands} commands
 */
export function serveCommands(port, commands) {
  const server = http.createServer(async (request, response) => {
    try {
      let text = '';
      for await (const chunk of request.setEncoding('utf8')) text += chunk;
      const command = commands[String(request.url).slice(1)];
      if (!command) throw new Error(`There is no command ${request.url}`);
      const answer = await command(text === '' ? undefined : JSON.parse(text));
      response.end(JSON.stringify(answer ?? null));
    } catch (error) {
      response.writeHead(500).end(error instanceof Error ? error.stack : String(error));
    }
  });
  // A command takes as long as its work.
  server.requestTimeout = 0;
  server.listen(port, '127.0.0.1');
}

/**
 * @param {string} name of the process
 * @param {number} port of its commands
 * @returns {(command: string, input?: object) => Promise<any>} what tells it to do something, and gives its answer
 */
export function commandsOf(name, port) {
  return (command, input) =>
    new Promise((resolve, reject) => {
      const request = http.request({ port, host: '127.0.0.1', path: `/${command}`, method: 'POST' }, (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk;
        });
        response.on('error', reject);
        response.on('end', () => {
          if (response.statusCode === 200) resolve(JSON.parse(text));
          else reject(new Error(`${name} failed at ${command}: ${text}`));
        });
      });
      request.on('error', reject);
      request.end(input && JSON.stringify(input));
    });
}
