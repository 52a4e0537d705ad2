// The upper bound: Fastify, one route, nothing else. Its port is in PORT.
import Fastify from 'fastify';

const app = Fastify();
app.get('/api/auth/constant', async () => ({
  id: '0199aa00-0000-7000-8000-0000000000aa',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  size: 25,
}));
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
