// The upper bounds: Fastify with the least that does the same work; no tokens, no row-level security, no queues.
// Environment: PORT, BARE (one of the servers below), DATABASE_URL, UPSTREAM, PASSWORD.
import { randomUUID } from 'node:crypto';
import replyFrom from '@fastify/reply-from';
import { hash, verify } from '@node-rs/argon2';
import Fastify from 'fastify';
import { generateKeyPair, SignJWT } from 'jose';
import pg from 'pg';
import { FORMS, QUESTIONS } from '../found-forms.mjs';

/** A request, whose parts these servers do not check. @typedef {any} Request */

const { PORT, BARE = '', DATABASE_URL, UPSTREAM, PASSWORD = '' } = process.env;
const app = Fastify();
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });

/** The first row of a prepared statement. @param {string} name @param {string} text @param {...unknown} values */
const rowOf = async (name, text, ...values) => (await pool.query({ name, text, values })).rows[0];

/** @type {Readonly<Record<string, () => void | Promise<void>>>} */
const SERVERS = {
  /** One route that answers with a constant. */
  constant() {
    const person = { id: '0199aa00-0000-7000-8000-0000000000aa', name: 'Ada Lovelace', email: 'ada@example.com' };
    const answer = { ...person, size: 25 };
    app.get('/api/auth/constant', async () => answer);
  },

  /** Passes everything on. */
  async proxy() {
    await app.register(replyFrom, { base: UPSTREAM });
    app.get('/*', (request, reply) => {
      reply.from(request.url);
    });
  },

  /** Checks a password with Argon2id. */
  async signIn() {
    const stored = await hash(PASSWORD, { memoryCost: 19_456, timeCost: 2, parallelism: 1 });
    app.post('/api/auth/login', async (/** @type {Request} */ { body }) => ({
      right: await verify(stored, body.password),
    }));
  },

  /** One read by primary key and one Ed25519 signature. */
  async mint() {
    const { privateKey } = await generateKeyPair('EdDSA', { crv: 'Ed25519' });
    app.post('/api/auth/v1/embed/sessions', async (/** @type {Request} */ { body }, reply) => {
      const text = 'SELECT user_id AS sub, tenant_id AS tid, roles FROM bare_user WHERE sub = $1';
      const { sub, tid, roles } = await rowOf('user', text, body.sub);
      const iat = Math.floor(Date.now() / 1000);
      const standard = {
        iss: 'http://127.0.0.1:8080',
        aud: 'platform-api',
        sub,
        jti: randomUUID(),
        iat,
        exp: iat + 900,
      };
      const claims = { ...standard, tid, roles, scopes: ['leads'], embed: true, embed_app_id: 'bench' };
      const header = { alg: 'EdDSA', typ: 'at+jwt', kid: 'bench' };
      const token = await new SignJWT(claims).setProtectedHeader(header).sign(privateKey);
      reply.code(201);
      return { embed_token: token, expires_in: 900 };
    });
  },

  /** Makes an accepted call durable by one insert of the payload. */
  hooks() {
    app.post('/hooks/:workflowId/:secret', async (/** @type {Request} */ { params, body }, reply) => {
      const text = 'INSERT INTO bare_run (id, workflow_id, input) VALUES (gen_random_uuid(), $1, $2) RETURNING id';
      const { id } = await rowOf('accept', text, params.workflowId, JSON.stringify(body));
      reply.code(202);
      return { accepted: true, runId: id };
    });
  },

  /** A row of the same bytes by its primary key, the same list through its index, the same insert and change. */
  records() {
    serveTable('/records', 'bare_record', 'code');
    serveTable('/leads', 'bare_lead', 'companyName');
    const search = `SELECT body FROM bare_search WHERE tenant_id = $1 AND object_id = $2 AND text LIKE $3 ORDER BY id DESC LIMIT 25`;
    app.get('/leads/search', async (/** @type {Request} */ { query: { tenant, object, q } }) => {
      const { rows } = await pool.query(search, [tenant, object, `%${q}%`]);
      return { data: rows.map(({ body }) => body) };
    });
  },

  /** The same pages of leads and answers about deals, through indexes of their own. */
  found() {
    app.get('/found/:form', async (/** @type {Request} */ { params: { form }, query: { value = null, id } }) => {
      const question = QUESTIONS[form];
      const text = question?.sql ?? `SELECT body FROM bare_found WHERE ${FORMS[form]?.where} LIMIT 25`;
      const values = id ? [value, id] : text.includes('$1') ? [value] : [];
      const { rows } = await pool.query({ ...(!question?.hasPlans && { name: form }), text, values });
      return { data: rows.map((row) => row.body ?? row) };
    });
  },
};

/** @param {string} path @param {string} table @param {string} stage member of a body by which lists are filtered */
function serveTable(path, table, stage) {
  const read = `SELECT body FROM ${table} WHERE id = $1`;
  app.get(
    `${path}/:id`,
    async (/** @type {Request} */ { params }) => (await rowOf(`read ${table}`, read, params.id)).body,
  );
  app.get(path, async (/** @type {Request} */ { query }) => {
    const text = `SELECT body FROM ${table} WHERE stage = $1 ORDER BY id DESC LIMIT 25`;
    const { rows } = await pool.query({ name: `list ${table}`, text, values: [query.stage] });
    return { data: rows.map(({ body }) => body) };
  });
  const create = `
    WITH called AS (INSERT INTO ${table}_key (key, id) VALUES ($3, gen_random_uuid()) RETURNING id)
    INSERT INTO ${table} (id, stage, body) SELECT id, $1, $2 FROM called RETURNING id, body`;
  app.post(path, async (/** @type {Request} */ { body, headers }, reply) => {
    const key = headers['idempotency-key'];
    const row = await rowOf(`create ${table}`, create, body[stage], JSON.stringify(body), key);
    reply.code(201);
    return { id: row.id, ...row.body };
  });
  const change = `UPDATE ${table} SET body = body || $2 WHERE id = $1 RETURNING body`;
  app.patch(`${path}/:id`, async (/** @type {Request} */ { params, body }) => {
    return (await rowOf(`change ${table}`, change, params.id, JSON.stringify(body))).body;
  });
}

await SERVERS[BARE]?.();
await app.listen({ port: Number(PORT), host: '127.0.0.1' });
