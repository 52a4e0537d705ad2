/** @param {string} words with dashes */
const pascal = (words) => words.replace(/(?:^|-)(\w)/g, (_match, letter) => letter.toUpperCase());

/** @param {string} words with dashes */
const camel = (words) => pascal(words).replace(/^\w/, (letter) => letter.toLowerCase());

/**
 * The files of a new service, by path below apps/<name>.
 * @param {string} name of the service
 * @param {string} noun its first one
 * @returns {Record<string, string>}
 */
export function serviceFiles(name, noun) {
  const Noun = pascal(noun);
  const at = `src/${noun}/${noun}`;
  return {
    'package.json': packageJson(name),
    'README.md': readme(name, noun),
    'src/main.ts': `import { startService } from '@crm/runtime';
import { AppModule } from './app.module.js';
import { loadConfig } from './config.js';

const config = loadConfig();
await startService(config, AppModule.with(config));
`,
    'src/config.ts': `import { readEnvironment, type ServiceConfig, serviceConfig } from '@crm/runtime';

export interface ${pascal(name)}Config {
  readonly service: ServiceConfig;
}

/** Reads the environment; nothing else in this service does. */
export function loadConfig(): ${pascal(name)}Config {
  return readEnvironment(() => ({ service: serviceConfig('${name}') }));
}
`,
    'src/app.module.ts': `import { MessagingModule } from '@crm/messaging';
import { type DynamicModule, Module } from '@nestjs/common';
import type { ${pascal(name)}Config } from './config.js';
import { ${Noun}Module } from './${noun}/${noun}.module.js';

@Module({})
export class AppModule {
  static with(config: ${pascal(name)}Config): DynamicModule {
    return { module: AppModule, imports: [MessagingModule.forService({ config: config.service.nats }), ${Noun}Module] };
  }
}
`,
    [`${at}.module.ts`]: `import { Module } from '@nestjs/common';
import { ${Noun}Controller } from './${noun}.controller.js';
import { ${Noun}Service } from './${noun}.service.js';

@Module({ controllers: [${Noun}Controller], providers: [${Noun}Service] })
export class ${Noun}Module {}
`,
    [`${at}.dto.ts`]: `import { IntegerField, TextField } from '@crm/http';

/** Body of a counting request. */
export class ${Noun}Input {
  @TextField({ maxLength: 200, description: 'Any text', example: 'hello' })
  text: string;
}

/** Answer to a counting request. */
export class ${Noun}View {
  @TextField({ maxLength: 200 })
  text: string;

  @IntegerField({ minimum: 1, description: 'Words in the text' })
  words: number;
}
`,
    [`${at}.service.ts`]: `import { Injectable } from '@nestjs/common';
import type { ${Noun}View } from './${noun}.dto.js';

/** Rules of the noun "${noun}". */
@Injectable()
export class ${Noun}Service {
  /** @param text at least one character that is not white space */
  view(text: string): ${Noun}View {
    return { text, words: text.trim().split(/\\s+/).length };
  }
}
`,
    [`${at}.controller.ts`]: `import { Access } from '@crm/access';
import { ApiGroup, Describe } from '@crm/http';
import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ${Noun}Input, ${Noun}View } from './${noun}.dto.js';
import { ${Noun}Service } from './${noun}.service.js';

@ApiGroup({ name: '${Noun}', description: 'What the resource is, and what its calls are for.' })
@Controller('api/${name}/${noun}')
export class ${Noun}Controller {
  constructor(private readonly ${camel(noun)}Service: ${Noun}Service) {}

  @Post()
  @HttpCode(200)
  @Access({ right: 'read' })
  @Describe({
    summary: 'Counts the words of a text',
    description: 'White space separates words.',
    answers: [{ status: 200, description: 'The count', body: () => ${Noun}View }],
  })
  count(@Body() { text }: ${Noun}Input): ${Noun}View {
    return this.${camel(noun)}Service.view(text);
  }
}
`,
    [`${at}.spec.ts`]: `import { describe, expect, it } from '@jest/globals';
import { ${Noun}Service } from './${noun}.service.js';

describe('${Noun}Service', () => {
  it('counts the words of a text and ignores the white space around them', () => {
    expect(new ${Noun}Service().view(' one  two ')).toEqual({ text: ' one  two ', words: 2 });
  });
});
`,
    [`test/${name}.spec.ts`]: `import { startTestService, type TestService, testServiceConfig, testTokens } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AppModule } from '../src/app.module.js';

describe('${name}', () => {
  const tokens = testTokens();
  let service: TestService;

  beforeAll(async () => {
    const config = { service: testServiceConfig('${name}') };
    service = await startTestService(config, AppModule.with(config), { keySource: tokens.keySource });
  });
  afterAll(() => service.close());

  it('answers a user with the right to read and refuses a call without a token', async () => {
    const answer = await service.request('POST', '/api/${name}/${noun}', {
      token: await tokens.sign({ roles: ['viewer'] }),
      body: { text: 'one two' },
    });
    expect([answer.status, answer.body]).toEqual([200, { text: 'one two', words: 2 }]);
    expect((await service.request('POST', '/api/${name}/${noun}', { body: {} })).status).toBe(401);
  });
});
`,
  };
}

/** @param {string} name */
const packageJson = (name) =>
  `${JSON.stringify(
    {
      name: `@crm/${name}`,
      version: '0.1.0',
      private: true,
      license: 'Apache-2.0',
      type: 'module',
      description: 'What the service does, in one line.',
      scripts: {
        build: 'node ../../scripts/bundle.mjs',
        start: 'node dist/main.js',
      },
      dependencies: {
        '@crm/access': 'workspace:*',
        '@crm/http': 'workspace:*',
        '@crm/messaging': 'workspace:*',
        '@crm/runtime': 'workspace:*',
        '@nestjs/common': 'catalog:',
        'reflect-metadata': 'catalog:',
        rxjs: 'catalog:',
      },
      devDependencies: { '@crm/testing': 'workspace:*', '@jest/globals': 'catalog:', '@types/node': 'catalog:' },
    },
    null,
    2,
  )}\n`;

/**
 * @param {string} name
 * @param {string} noun
 */
const readme = (name, noun) => `# ${name}

What it does, and for whom.

\`src/${noun}/\` holds its first noun: a module, a controller (permission, validation, one call), a service (the rules), DTOs and
tests. The service has a NATS user with its name, health and metrics on its port + 1000, and an OpenAPI document. Names
follow \`docs/glossary.md\`.

To add

- **a database**: an entry in \`libs/contracts/src/databases.ts\`, \`DatabaseModule.forService\` in \`app.module.ts\`, \`databaseConfig\` in \`config.ts\`, \`src/migrations/index.ts\` exporting \`migrations\` and \`databaseRoles\`, and for each table an entity and a \`<noun>.repository.ts\` (\`libs/database/README.md\`);
- **events**: \`outbox: true\` for \`MessagingModule\` to send, an entry in \`CONSUMERS\` and a \`<noun>.consumer.ts\` to receive (\`libs/messaging/README.md\`);
- **calls from other services**: a contract in \`libs/contracts/src/rpc\` and a \`<noun>.rpc.ts\` (\`libs/messaging/README.md\`); then \`npm run docs\`;
- **a public address**: \`Upstream\` and a line of \`ROUTES\` in \`apps/gateway/src/routing/routing.ts\`, and its URL in \`upstreams\` of the gateway's \`config.ts\`.

A package that code begins to use goes into \`package.json\`: ours as \`"workspace:*"\`, others as \`"catalog:"\`.
`;
