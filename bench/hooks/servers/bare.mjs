// The upper bound: Fastify and pg, the least that makes an accepted call durable: one insert of the payload. No secret is
// checked, no workflow is looked up, nothing is queued. Its port is in PORT, the database in DATABASE_URL.
import Fastify from 'fastify';
import pg from 'pg';

const app = Fastify();
const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL, max: 10 });

app.post('/hooks/:workflowId/:secret', async (request, reply) => {
  const { workflowId } = /** @type {{ workflowId: string }} */ (request.params);
  const text = 'INSERT INTO bare_run (id, workflow_id, input) VALUES (gen_random_uuid(), $1, $2) RETURNING id';
  const { rows } = await pool.query({ name: 'accept', text, values: [workflowId, JSON.stringify(request.body)] });
  reply.code(202);
  return { accepted: true, runId: rows[0].id };
});

await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
