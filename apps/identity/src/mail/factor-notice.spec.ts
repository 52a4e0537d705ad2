import { describe, expect, it } from '@jest/globals';
import { type FactorChange, factorNotice } from './factor-notice.service.js';

const adviceOf = (change: FactorChange, holder: 'users' | 'operators') =>
  factorNotice('a@b.test', { change }, holder).body.split('If this was not you, ')[1];

describe('the notice of a change of the factors', () => {
  it('says to remove what someone else has added: it would outlive a change of the password', () => {
    expect(adviceOf('passkey-added', 'users')).toMatch(/^remove the passkey, change your password, end all sessions/);
    expect(adviceOf('authenticator-added', 'users')).toMatch(/^remove the authenticator, change your password/);
    expect(adviceOf('passkey-added', 'operators')).toMatch(/^remove the passkey, end all sessions/);
  });

  it('says to turn on again what someone else has turned off', () => {
    expect(adviceOf('second-factor-off', 'users')).toMatch(/^turn the second factor on again, change your password/);
  });

  it('says to remove nothing that is gone', () => {
    expect(adviceOf('passkey-removed', 'users')).toMatch(/^change your password, end all sessions/);
  });
});
