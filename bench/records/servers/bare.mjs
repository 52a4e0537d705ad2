// The upper bound: Fastify and pg, one row of the same bytes by its primary key, the same list through its index, the same
// insert and change; no token, no row-level security. Its port is in PORT, the database in DATABASE_URL.
import Fastify from 'fastify';
import pg from 'pg';

const app = Fastify();
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

/** @param {string} path @param {string} table @param {string} stage member of a body by which lists are filtered */
function serve(path, table, stage) {
  app.get(`${path}/:id`, async (request) => {
    const { id } = /** @type {{ id: string }} */ (request.params);
    const text = `SELECT body FROM ${table} WHERE id = $1`;
    const { rows } = await pool.query({ name: `read ${table}`, text, values: [id] });
    return rows[0].body;
  });
  app.get(path, async (request) => {
    const { stage } = /** @type {{ stage: string }} */ (request.query);
    const text = `SELECT body FROM ${table} WHERE stage = $1 ORDER BY id DESC LIMIT 25`;
    const { rows } = await pool.query({ name: `list ${table}`, text, values: [stage] });
    return { data: rows.map(({ body }) => body) };
  });
  app.post(path, async (request, reply) => {
    const body = /** @type {Record<string, unknown>} */ (request.body);
    const text = `INSERT INTO ${table} (id, stage, body) VALUES (gen_random_uuid(), $1, $2) RETURNING id, body`;
    const { rows } = await pool.query({ name: `create ${table}`, text, values: [body[stage], JSON.stringify(body)] });
    reply.code(201);
    return { id: rows[0].id, ...rows[0].body };
  });
  app.patch(`${path}/:id`, async (request) => {
    const { id } = /** @type {{ id: string }} */ (request.params);
    const text = `UPDATE ${table} SET body = body || $2 WHERE id = $1 RETURNING body`;
    const { rows } = await pool.query({ name: `change ${table}`, text, values: [id, JSON.stringify(request.body)] });
    return rows[0].body;
  });
}

serve('/records', 'bare_record', 'code');
serve('/leads', 'bare_lead', 'source');
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
