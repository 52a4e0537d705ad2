import { describe, expect, it } from '@jest/globals';
import type { SubmissionView } from './review.dto.js';
import { fitQueue } from './submission-view.js';

const submission = (id: number): SubmissionView => ({
  id: `0198c0de-0000-7000-8000-${String(id).padStart(12, '0')}`,
  appKey: 'app',
  version: '1.0.0',
  versionStatus: 'in_review',
  publisher: { tenantId: '0198c0de-0000-7000-8000-000000000001', name: 'Acme' },
  submittedAt: '2026-01-01T00:00:00.000Z',
  claimedBy: null,
  verdict: null,
  certification: {
    passed: true,
    checks: [
      { id: 'MAN-001', status: 'pass', findings: [] },
      { id: 'LST-001', status: 'fail', findings: [{ pointer: '', message: 'x'.repeat(500) }] },
    ],
  },
});
const queue = Array.from({ length: 20 }, (_, index) => submission(index));

describe('fitQueue', () => {
  it('leaves a queue that fits unchanged', () => {
    expect(fitQueue(queue)).toEqual(queue);
  });

  it('keeps only the checks that did not pass when the queue is too long', () => {
    const fitting = fitQueue(queue, 12_000);
    expect(fitting).toHaveLength(20);
    expect(fitting[0]?.certification).toEqual({
      passed: true,
      checks: [{ id: 'LST-001', status: 'fail', findings: [] }],
    });
  });

  it('omits the end of the queue when even the shortened queue is too long', () => {
    const fitting = fitQueue(queue, 2000);
    expect(fitting.length).toBeGreaterThan(0);
    expect(Buffer.byteLength(JSON.stringify(fitting))).toBeLessThanOrEqual(2000);
    expect(fitting[0]?.id).toBe(queue[0]?.id);
  });
});
