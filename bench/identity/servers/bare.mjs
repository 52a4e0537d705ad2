// A bare Fastify server whose sign-in checks a password with Argon2id and does nothing else.
import { hash, verify } from '@node-rs/argon2';
import Fastify from 'fastify';

const PARAMETERS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

const stored = await hash(process.env.BENCH_SIGN_IN_PASSWORD ?? '', PARAMETERS);
const app = Fastify();
app.post('/api/auth/login', async (request) => {
  const { password } = /** @type {{ password: string }} */ (request.body);
  return { right: await verify(stored, password) };
});
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) });
