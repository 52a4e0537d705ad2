import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { inRoot } from '../root.mjs';
import { judgeAudit } from './audit-rule.mjs';

const ADVISORY = {
  github_advisory_id: 'GHSA-2345-6789-cfgh',
  module_name: 'undici',
  severity: 'high',
  title: 'Requests are mixed up',
  url: 'https://github.com/advisories/GHSA-2345-6789-cfgh',
  findings: [{ version: '7.30.2', paths: ['libs__egress>undici'] }],
};

const EXCEPTION = {
  advisory: ADVISORY.github_advisory_id,
  package: 'undici',
  reason: 'It concerns web sockets, which no service opens: the bundle leaves them out.',
  written: '2026-11-01',
  expires: '2027-01-01',
};

describe('the audit of dependencies', () => {
  it('reports an advisory with the version and the way to it', () => {
    expect(judgeAudit([ADVISORY], [], '2026-11-22')).toEqual({
      problems: [
        'high: undici 7.30.2, Requests are mixed up (GHSA-2345-6789-cfgh, https://github.com/advisories/GHSA-2345-6789-cfgh; libs__egress > undici)',
      ],
      explained: [],
    });
  });

  it('accepts an advisory that an exception explains, until the day the exception expires', () => {
    const before = judgeAudit([ADVISORY], [EXCEPTION], '2026-12-31');
    expect(before.problems).toEqual([]);
    expect(before.explained).toEqual([expect.stringMatching(/which no service opens.*\(until 2027-01-01\)$/)]);

    const after = judgeAudit([ADVISORY], [EXCEPTION], '2027-01-01');
    expect(after.explained).toEqual([]);
    expect(after.problems).toEqual([
      expect.stringContaining('has expired on 2027-01-01'),
      expect.stringContaining('high: undici'),
    ]);
  });

  it('does not let an exception stand for another advisory or another package', () => {
    const other = { ...ADVISORY, github_advisory_id: 'GHSA-cfgh-jmpq-rvwx' };
    const { problems } = judgeAudit([other, { ...ADVISORY, module_name: 'fastify' }], [EXCEPTION], '2026-11-22');
    expect(problems).toEqual([
      expect.stringContaining('GHSA-cfgh-jmpq-rvwx'),
      expect.stringContaining('fastify'),
      'The exception for GHSA-2345-6789-cfgh in undici is not needed any more: remove it.',
    ]);
  });

  it.each([
    ['no reason', { reason: 'later' }, 'does not say why'],
    ['no package', { package: '' }, 'does not name its package'],
    ['another kind of id', { advisory: 'CVE-2026-1' }, 'is not the id of an advisory'],
    ['no day', { expires: 'soon' }, 'needs the days'],
    ['a life of 91 days', { written: '2026-10-02' }, 'lasts longer than 90 days'],
    ['a day to come as the day it was written', { written: '2026-11-23' }, 'lasts longer than 90 days'],
  ])('refuses an exception with %s', (_, change, problem) => {
    const { problems } = judgeAudit([ADVISORY], [{ ...EXCEPTION, ...change }], '2026-11-22');
    expect(problems[0]).toContain(problem);
  });

  it('knows exceptions of this repository that are complete', () => {
    const exceptions = JSON.parse(readFileSync(inRoot('scripts', 'supply-chain', 'audit-exceptions.json'), 'utf8'));
    // On the day that each was written: that one expires is for the audit to say, not for every test run from then on.
    for (const exception of exceptions) {
      const { problems } = judgeAudit([], [exception], exception.written);
      expect(problems).toEqual([expect.stringContaining('not needed any more')]);
    }
  });
});
