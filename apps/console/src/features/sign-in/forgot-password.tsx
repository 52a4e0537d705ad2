import { useTexts } from '@crm/ui';
import { Text, TextInput } from '@mantine/core';
import { useInputState } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { Form, REQUIRED } from './parts/form.js';
import { Page, SignInLink } from './parts/page.js';
import { signInApi } from './sign-in.api.js';
import { SIGN_IN_TEXTS } from './sign-in.texts.js';

/** Says the same for every address, as the API does. */
export default function ForgotPassword() {
  const texts = useTexts(SIGN_IN_TEXTS);
  const [email, setEmail] = useInputState('');
  const action = useMutation({ mutationFn: () => signInApi.askForReset(email.trim()) });
  if (action.isSuccess) {
    return (
      <Page title={texts.forgotDone}>
        <Text role="status">{texts.forgotDoneText}</Text>
        <SignInLink />
      </Page>
    );
  }
  return (
    <Page title={texts.forgotTitle}>
      <Text>{texts.forgotText}</Text>
      <Form action={action} submit={texts.forgotSubmit}>
        <TextInput
          {...REQUIRED}
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
