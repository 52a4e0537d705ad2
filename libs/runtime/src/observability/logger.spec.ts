import { describe, expect, it } from '@jest/globals';
import { createLogger, NestLogger } from './logger.js';

const lines: Record<string, unknown>[] = [];
const logger = createLogger(
  { name: 'custom-objects', logLevel: 'info' },
  { write: (line: string) => lines.push(JSON.parse(line)) },
);
const last = () => lines.at(-1)!;

describe('the log', () => {
  it('contains the service and the members of an entry', () => {
    logger.info({ requestId: 'r-1' }, 'hello');
    expect(last()).toMatchObject({ level: 'info', service: 'custom-objects', requestId: 'r-1', msg: 'hello' });
  });

  it('says when, in UTC with milliseconds', () => {
    const before = Date.now();
    logger.info('hello');
    expect(last().time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(Date.parse(String(last().time)) - before).toBeLessThan(60_000);
  });

  it('never contains secrets', () => {
    const secrets = {
      password: 'S3CRET',
      refreshToken: 'S3CRET',
      body: { password: 'S3CRET', clientSecret: 'S3CRET', code: 'S3CRET' },
      req: { headers: { authorization: 'S3CRET', cookie: 'S3CRET', 'x-embed-secret': 'S3CRET' } },
      res: { headers: { 'set-cookie': 'S3CRET' } },
    };
    logger.info(secrets, 'x');
    expect(JSON.stringify(last())).not.toContain('S3CRET');
    expect(last()).toMatchObject({ password: '[redacted]' });
  });

  it('omits the statement and parameters of a database error', () => {
    const error = Object.assign(new Error('duplicate key'), {
      code: '23505',
      parameters: ['S3CRET'],
      query: 'S3CRET',
      detail: 'S3CRET',
    });
    logger.error({ err: new Error('outer', { cause: error }) });
    expect(JSON.stringify(last())).not.toContain('S3CRET');
    expect(last().err).toMatchObject({ message: 'outer', cause: { message: 'duplicate key', code: '23505' } });
  });

  it('contains the messages of Nest', () => {
    const nest = new NestLogger(logger);
    nest.warn('careful', 'LeadService');
    expect(last()).toMatchObject({ level: 'warn', msg: 'careful', logger: 'LeadService' });
    nest.error(new Error('broken'), 'LeadService');
    expect(last()).toMatchObject({ level: 'error', logger: 'LeadService', err: { message: 'broken' } });
    nest.log({ msg: 'counted', rows: 3 }, 'LeadService');
    expect(last()).toMatchObject({ msg: 'counted', rows: 3 });
  });
});
