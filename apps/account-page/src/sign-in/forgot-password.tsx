import { useTexts } from '@crm/ui';
import { useState } from 'react';
import { accountApi } from '../api/account-api.js';
import { Form, TextInput } from '../parts/form.js';
import { Page, SignInLink } from '../parts/page.js';
import { useAction } from '../use-action.js';
import { SIGN_IN_TEXTS } from './sign-in.texts.js';

/** Says the same for every address, as the API does. */
export function ForgotPassword() {
  const texts = useTexts(SIGN_IN_TEXTS);
  const [email, setEmail] = useState('');
  const [isDone, setIsDone] = useState(false);
  const action = useAction(async () => {
    await accountApi.askForReset(email.trim());
    setIsDone(true);
  });
  if (isDone) {
    return (
      <Page title={texts.forgotDone}>
        <p role="status">{texts.forgotDoneText}</p>
        <SignInLink />
      </Page>
    );
  }
  return (
    <Page title={texts.forgotTitle}>
      <p>{texts.forgotText}</p>
      <Form action={action} submit={texts.forgotSubmit}>
        <TextInput
          label={texts.email}
          type="email"
          autoComplete="username"
          maxLength={254}
          value={email}
          onChange={setEmail}
        />
      </Form>
      <SignInLink />
    </Page>
  );
}
