import { ApiProblem } from '@crm/api-client';
import { useTexts } from '@crm/ui';
import { useState } from 'react';
import { accountApi, type DeviceToken } from '../../api/account-api.js';
import { knownDevices } from '../../known-devices.js';
import { Form } from '../../parts/form.js';
import { SignInLink } from '../../parts/no-such-view.js';
import { Page } from '../../parts/page.js';
import { useAction } from '../../use-action.js';
import { NewPasswordInput, passwordProblem } from '../password/new-password-input.js';
import { ForgotLink } from '../sign-in/forgot-link.js';
import { LinkEnd, NoToken } from './link-end.js';
import { isInvalidLink, LINK_TEXTS, type PasswordKind } from './links.texts.js';

const ACTS: Readonly<Record<PasswordKind, (token: string, password: string) => Promise<DeviceToken | undefined>>> = {
  'password-reset': accountApi.completeReset,
  invitation: accountApi.acceptInvitation,
};

export interface SetPasswordProps {
  readonly kind: PasswordKind;
  readonly token: string | undefined;
}

/** A link with which a password is chosen. */
export function SetPassword({ kind, token }: SetPasswordProps) {
  const { links, invalidTitle } = useTexts(LINK_TEXTS);
  const texts = links[kind];
  const [password, setPassword] = useState('');
  const [isDone, setIsDone] = useState(false);
  const action = useAction(async () => {
    const done = await ACTS[kind](token as string, password);
    if (done?.deviceToken) knownDevices(window).keepForNext(done.deviceToken);
    setPassword('');
    setIsDone(true);
  });

  if (token === undefined) return <NoToken />;
  if (isDone) {
    return (
      <LinkEnd title={texts.doneTitle} text={texts.doneText}>
        <SignInLink />
      </LinkEnd>
    );
  }
  if (action.problem instanceof ApiProblem && isInvalidLink(action.problem.code)) {
    return (
      <LinkEnd title={invalidTitle} text={texts.invalid}>
        {kind === 'password-reset' ? <ForgotLink /> : null}
      </LinkEnd>
    );
  }
  return (
    <Page title={texts.title}>
      <p>{texts.text}</p>
      <Form action={action} submit={texts.button} isProblemShown={passwordProblem(action.problem) !== undefined}>
        <NewPasswordInput value={password} onChange={setPassword} problem={action.problem} />
      </Form>
    </Page>
  );
}
