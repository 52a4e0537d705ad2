import { describe, expect, it } from '@jest/globals';
import { ERRORS, type ErrorCode, PlatformError } from './errors.js';

describe('the error catalogue', () => {
  it.each(Object.values(ERRORS).map(({ code, title, advice }) => [code, title, advice] as const))(
    '%s gives a detail that does not repeat its title',
    (code, title, advice) => {
      expect(advice).not.toContain(title);
      expect(`${title}${advice}`).toMatch(/[^.]$/);
      for (const repeated of [undefined, title])
        expect(new PlatformError(code as ErrorCode, repeated).message).toBe(advice);
    },
  );
});
