// Writes the OpenAPI document of the services that pages call, from their modules alone: nothing listens and nothing is
// connected to. libs/api-client makes types of it. node scripts/openapi/api-document.mjs <file>
import { inRoot } from '../root.mjs';
import { writeDocument } from './write-document.mjs';

const SERVICES = ['custom-objects', 'identity'];

/** What their configurations ask for; only the form matters. */
const ENVIRONMENT = {
  PROFILE: 'development',
  BASE_URL: 'http://localhost',
  EMBED_API_URL: 'http://localhost',
  NATS_URL: 'nats://localhost',
  NATS_PASSWORD: 'none',
  DATABASE_URL: 'postgres://localhost/none',
  DATABASE_NARROW_URL: 'postgres://localhost/none',
  SMTP_URL: 'smtp://localhost',
  KEY_ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
};

/** @param {string} service */
async function documentOf(service) {
  const load = (/** @type {string[]} */ ...file) => import(inRoot(...file));
  const { AppModule } = await load('apps', service, 'src', 'app.module.ts');
  const { loadConfig } = await load('apps', service, 'src', 'config.ts');
  const { serviceDocument } = await load('libs', 'runtime', 'src', 'index.ts');
  const config = loadConfig();
  return serviceDocument(config, AppModule.with(config));
}

await writeDocument(async () => {
  Object.assign(process.env, ENVIRONMENT);
  const whole = await documentOf(SERVICES[0] ?? '');
  for (const service of SERVICES.slice(1)) {
    const { paths, components } = await documentOf(service);
    for (const [name, schema] of Object.entries(components.schemas)) {
      const other = whole.components.schemas[name];
      if (other && JSON.stringify(other) !== JSON.stringify(schema)) throw new Error(`Two schemas are called ${name}`);
    }
    Object.assign(whole.paths, paths);
    Object.assign(whole.components.schemas, components.schemas);
    Object.assign(whole.components.examples, components.examples);
    whole.components.securitySchemes = { ...whole.components.securitySchemes, ...components.securitySchemes };
  }
  return whole;
});
