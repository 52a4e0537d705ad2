import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { certify } from '../src/index.js';

const EXAMPLES = join(import.meta.dirname, '../../../examples');

function read(folder: string, file: string): unknown {
  return JSON.parse(readFileSync(join(EXAMPLES, folder, file), 'utf8'));
}

it.each(['data-connector', 'industry-app', 'ai-assistant', 'event-service'])(
  'example packages %s passes every check without a probe',
  async (folder) => {
    const manifest = read(folder, 'app.json');
    const reviewPacket = read(folder, 'review-packet.json');
    const certification = await certify(manifest, { mode: 'submission', reviewPacket });
    const failed = certification.checks
      .filter(({ status }) => status === 'fail')
      .map(({ id, findings }) => ({ id, findings }));
    expect(failed).toEqual([]);
    expect(certification).toMatchObject({ passed: true, manifestSha256: expect.stringMatching(/^[0-9a-f]{64}$/) });
  },
);
