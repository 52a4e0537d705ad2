// The upper bound of a mint: Fastify and pg, one read by primary key and one Ed25519 signature by jose; no client, no secret,
// no row-level security, no other process. Its port is in PORT, the database in DATABASE_URL.
import { randomUUID } from 'node:crypto';
import Fastify from 'fastify';
import { generateKeyPair, SignJWT } from 'jose';
import pg from 'pg';

const app = Fastify();
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });
const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });

app.post('/api/auth/v1/embed/sessions', async (request, reply) => {
  const { sub } = /** @type {{ sub: string }} */ (request.body);
  const text = 'SELECT user_id, tenant_id, roles FROM bare_user WHERE sub = $1';
  const { rows } = await pool.query({ name: 'user', text, values: [sub] });
  const { user_id: userId, tenant_id: tid, roles } = rows[0];
  const token = await new SignJWT({ tid, roles, scopes: ['leads'], embed: true, embed_app_id: 'bench' })
    .setProtectedHeader({ alg: 'EdDSA', typ: 'at+jwt', kid: 'bench' })
    .setIssuer('http://127.0.0.1:8080')
    .setAudience('platform-api')
    .setSubject(userId)
    .setJti(randomUUID())
    .setIssuedAt()
    .setExpirationTime('900s')
    .sign(privateKey);
  reply.code(201);
  return { embed_token: token, expires_in: 900 };
});
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
