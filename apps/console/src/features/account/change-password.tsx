import { catalogue, useTexts } from '@crm/ui';
import { Text } from '@mantine/core';
import { useInputState } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { useApiClient } from '../../session/api-client-context.js';
import { useCaller } from '../shell/shell.queries.js';
import { DigitsInput } from '../sign-in/code-inputs.js';
import { ForgotLink } from '../sign-in/first-factor.js';
import { knownDevices } from '../sign-in/known-devices.js';
import { Form } from '../sign-in/parts/form.js';
import { CurrentPasswordInput, NewPasswordInput, passwordProblem } from '../sign-in/parts/passwords.js';
import { SECURITY_TEXTS } from './security.texts.js';
import { Topic, type TopicViewProps } from './topic.js';
import { useAccountApi } from './use-account-api.js';

const CHANGE_TEXTS = catalogue({
  en: {
    lead: 'All your other sessions end with it, and so do API keys and the access of apps.',
    current: 'Present password',
    submit: 'Change the password',
    codeText: 'Type in the code of your authenticator app, or the one that was sent to you by e-mail.',
    doneTitle: 'Your password is changed',
    doneText: 'All your other sessions have ended, and so have API keys and the access of apps. A mail to you says so.',
    problems: { INVALID_CREDENTIALS: 'The present password is wrong.' },
    codeProblems: {
      INVALID_CREDENTIALS: 'This code is wrong, was used, or comes too late.',
      CONFLICT: 'The password was changed elsewhere meanwhile.',
    },
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
    codeProblems: {
      INVALID_CREDENTIALS: 'Dieser Code ist falsch, wurde schon verwendet oder kommt zu spät.',
      CONFLICT: 'Das Passwort wurde inzwischen anderswo geändert.',
    },
  },
});

/** Changes the password: the present one is asked for, and the second factor where it is on. */
export function Password({ onBack }: TopicViewProps) {
  const { topics } = useTexts(SECURITY_TEXTS);
  const texts = useTexts(CHANGE_TEXTS);
  const api = useAccountApi();
  const { data: caller } = useCaller(useApiClient());
  const [currentPassword, setCurrentPassword] = useInputState('');
  const [newPassword, setNewPassword] = useInputState('');
  const [challengeId, setChallengeId] = useState<string>();
  const [code, setCode] = useInputState('');
  const action = useMutation({
    /** @returns whether it is changed, and not a code awaited */
    mutationFn: async () => {
      const answer = challengeId === undefined ? {} : { challengeId, code: code.replaceAll(' ', '') };
      const changed = await api.changePassword({ currentPassword, newPassword, ...answer });
      setCode('');
      setChallengeId(changed.mfaRequired ? changed.challengeId : undefined);
      if (changed.mfaRequired) return false;
      setCurrentPassword('');
      setNewPassword('');
      if (caller) await knownDevices(window).keep(caller.email, changed.deviceToken);
      return true;
    },
  });

  if (action.data) {
    return (
      <Topic title={texts.doneTitle} lead={texts.doneText} onBack={onBack} outcome={undefined}>
        {null}
      </Topic>
    );
  }
  return (
    <Topic title={topics.password.title} lead={texts.lead} onBack={onBack} outcome={undefined}>
      {challengeId === undefined ? (
        <>
          <Form
            key="passwords"
            action={action}
            submit={texts.submit}
            words={texts.problems}
            isProblemShown={passwordProblem(action.error) !== undefined}
          >
            <CurrentPasswordInput label={texts.current} value={currentPassword} onChange={setCurrentPassword} />
            <NewPasswordInput value={newPassword} onChange={setNewPassword} problem={action.error} />
          </Form>
          <ForgotLink />
        </>
      ) : (
        <Form key="code" action={action} submit={texts.submit} words={texts.codeProblems}>
          <Text role="status">{texts.codeText}</Text>
          <DigitsInput value={code} onChange={setCode} />
        </Form>
      )}
    </Topic>
  );
}
