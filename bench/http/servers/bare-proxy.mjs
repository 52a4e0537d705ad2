// The upper bound of a proxy: Fastify and @fastify/reply-from, nothing else. Its port is in PORT, the server behind it
// in UPSTREAM.
import replyFrom from '@fastify/reply-from';
import Fastify from 'fastify';

const app = Fastify();
await app.register(replyFrom, { base: process.env.UPSTREAM });
app.get('/*', (request, reply) => {
  reply.from(request.url);
});
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
