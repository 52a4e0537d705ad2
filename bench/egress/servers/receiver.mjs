// A receiver that reads the request and answers 200, over https. Its port, key and certificate are in PORT, KEY and CERT.
import https from 'node:https';

https
  .createServer(
    // No socket ends during a measurement because its round was not the next one.
    { key: process.env.KEY, cert: process.env.CERT, keepAliveTimeout: 300_000 },
    (request, response) => {
      request.resume();
      request.on('end', () => response.writeHead(200, { 'content-type': 'text/plain', 'content-length': 2 }).end('ok'));
    },
  )
  .listen({ port: Number(process.env.PORT), host: '127.0.0.1', backlog: 4096 });
