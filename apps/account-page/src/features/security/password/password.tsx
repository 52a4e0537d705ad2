import { useTexts } from '@crm/ui';
import { useState } from 'react';
import { securityApi } from '../../../api/security-api.js';
import { knownDevices } from '../../../known-devices.js';
import { Form } from '../../../parts/form.js';
import { TextInput } from '../../../parts/text-input.js';
import { useSession } from '../../../session.js';
import { useAction } from '../../../use-action.js';
import { useCaller } from '../../../use-caller.js';
import { NewPasswordInput, passwordProblem } from '../../password/new-password-input.js';
import { DigitsInput } from '../../sign-in/code-inputs.js';
import { ForgotLink } from '../../sign-in/forgot-link.js';
import { Topic, type TopicViewProps } from '../parts/topic.js';
import { SECURITY_TEXTS } from '../security.texts.js';
import { CHANGE_TEXTS } from './password.texts.js';

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
