import { EmailInput, Form, Page, SignInLink, useTexts, type Values } from '@crm/ui';
import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { signInApi } from './sign-in.api.js';
import { SIGN_IN_TEXTS } from './sign-in.texts.js';

/** Says the same for every address, as the API does. */
export default function ForgotPassword() {
  const texts = useTexts(SIGN_IN_TEXTS);
  const action = useMutation({ mutationFn: ({ email = '' }: Values) => signInApi.askForReset(email) });
  return (
    <Page title={action.isSuccess ? texts.forgotDone : texts.forgot}>
      {action.isSuccess ? (
        <Text role="status">{texts.forgotDoneText}</Text>
      ) : (
        <>
          <Text>{texts.forgotText}</Text>
          <Form action={action} submit={texts.forgotSubmit}>
            <EmailInput label={texts.email} />
          </Form>
        </>
      )}
      <SignInLink />
    </Page>
  );
}
