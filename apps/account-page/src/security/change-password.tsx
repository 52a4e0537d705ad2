import { catalogue, useTexts } from '@crm/ui';
import { useState } from 'react';
import { securityApi } from '../api/security-api.js';
import { knownDevices } from '../known-devices.js';
import { NewPasswordInput, passwordProblem } from '../links/set-password.js';
import { Form, TextInput } from '../parts/form.js';
import { useCaller, useSession } from '../session.js';
import { DigitsInput } from '../sign-in/code-inputs.js';
import { ForgotLink } from '../sign-in/first-factor.js';
import { useAction } from '../use-action.js';
import { SECURITY_TEXTS } from './security.texts.js';
import { Topic, type TopicViewProps } from './topic.js';

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
  const { call } = useSession();
  const { caller } = useCaller();
  const [currentPassword, setCurrentPassword] = useState('');
  const [newPassword, setNewPassword] = useState('');
  const [challengeId, setChallengeId] = useState<string>();
  const [code, setCode] = useState('');
  const [isDone, setIsDone] = useState(false);
  const action = useAction(async () => {
    const answer = challengeId === undefined ? {} : { challengeId, code: code.replaceAll(' ', '') };
    const changed = await call((token) =>
      securityApi.changePassword(token, { currentPassword, newPassword, ...answer }),
    );
    setCode('');
    setChallengeId(changed.mfaRequired ? changed.challengeId : undefined);
    if (changed.mfaRequired) return;
    setCurrentPassword('');
    setNewPassword('');
    setIsDone(true);
    if (caller) await knownDevices(window).keep(caller.email, changed.deviceToken);
  });

  if (isDone) {
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
            isProblemShown={passwordProblem(action.problem) !== undefined}
          >
            <TextInput
              label={texts.current}
              type="password"
              autoComplete="current-password"
              maxLength={256}
              value={currentPassword}
              onChange={setCurrentPassword}
            />
            <NewPasswordInput value={newPassword} onChange={setNewPassword} problem={action.problem} />
          </Form>
          <ForgotLink />
        </>
      ) : (
        <Form key="code" action={action} submit={texts.submit} words={texts.codeProblems}>
          <p role="status">{texts.codeText}</p>
          <DigitsInput value={code} onChange={setCode} />
        </Form>
      )}
    </Topic>
  );
}
