import { CurrentPasswordInput, catalogue, Form, NewPasswordInput, useTexts, type Values } from '@crm/ui';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useApiClient } from '../../session/api-client-context.js';
import { useCaller } from '../shell/shell.queries.js';
import { CodeForm } from '../sign-in/code-inputs.js';
import { ForgotLink } from '../sign-in/first-factor.js';
import { knownDevices } from '../sign-in/known-devices.js';
import { type PasswordChange, useAccountApi } from './account.api.js';
import { Topic } from './topic.js';

const CHANGE_TEXTS = catalogue({
  en: {
    lead: 'All your other sessions end with it, and so do API keys and the access of apps.',
    current: 'Present password',
    submit: 'Change the password',
    codeText: 'Type in the code of your authenticator app, or the one that was sent to you by e-mail.',
    doneTitle: 'Your password is changed',
    doneText: 'All your other sessions have ended, and so have API keys and the access of apps. A mail to you says so.',
    problems: { INVALID_CREDENTIALS: 'The present password is wrong.' },
    codeProblems: { CONFLICT: 'The password was changed elsewhere meanwhile.' },
  },
  de: {
    lead: 'Alle Ihre anderen Sitzungen enden damit, ebenso API-Schlüssel und der Zugriff von Apps.',
    current: 'Jetziges Passwort',
    submit: 'Passwort ändern',
    codeText: 'Geben Sie den Code Ihrer Authenticator-App ein oder den, der Ihnen per E-Mail geschickt wurde.',
    doneTitle: 'Ihr Passwort ist geändert',
    doneText:
      'Alle Ihre anderen Sitzungen sind beendet, ebenso API-Schlüssel und der Zugriff von Apps. Darüber geht Ihnen eine E-Mail zu.',
    problems: { INVALID_CREDENTIALS: 'Das jetzige Passwort ist falsch.' },
    codeProblems: { CONFLICT: 'Das Passwort wurde inzwischen anderswo geändert.' },
  },
});

/** Changes the password: the present one is asked for, and the second factor where it is on. */
export function Password() {
  const texts = useTexts(CHANGE_TEXTS);
  const api = useAccountApi();
  const { data: caller } = useCaller(useApiClient());
  /** A change that awaits a code; null once it is made. */
  const [awaited, setAwaited] = useState<PasswordChange | null>();
  const change = async (wanted: PasswordChange): Promise<void> => {
    const { mfaRequired, challengeId, deviceToken } = await api.changePassword(wanted);
    if (!mfaRequired && caller?.email) await knownDevices(window).keep(caller.email, deviceToken);
    setAwaited(mfaRequired ? { ...wanted, challengeId } : null);
  };
  const action = useMutation({
    mutationFn: ({ password = '', newPassword = '' }: Values) => change({ currentPassword: password, newPassword }),
  });
  if (awaited === null) return <Topic title={texts.doneTitle} lead={texts.doneText} />;
  return (
    <Topic lead={texts.lead}>
      {awaited ? (
        <CodeForm
          text={texts.codeText}
          submit={texts.submit}
          words={texts.codeProblems}
          onCode={(code) => change({ ...awaited, code })}
        />
      ) : (
        <>
          <Form action={action} submit={texts.submit} words={texts.problems}>
            <CurrentPasswordInput label={texts.current} />
            <NewPasswordInput />
          </Form>
          <ForgotLink />
        </>
      )}
    </Topic>
  );
}
