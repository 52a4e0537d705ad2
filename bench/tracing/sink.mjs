// Takes traces and counts their spans: node sink.mjs, PORT in the environment; `GET /` answers with the count.
import { createServer } from 'node:http';

let spans = 0;

createServer((request, response) => {
  /** @type {Buffer[]} */
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    // Each span has exactly one; to parse the JSON would take processor time from what is measured.
    spans += Buffer.concat(chunks).toString('latin1').split('"startTimeUnixNano"').length - 1;
    response.writeHead(200, { 'content-type': 'application/json' }).end(request.method === 'GET' ? `${spans}` : '{}');
  });
}).listen(Number(process.env.PORT), '127.0.0.1');
