import { Form, Loaded, NewPasswordInput, PAGE_TEXTS, Page, SignInLink, useTexts, type Values } from '@crm/ui';
import { Button, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { ENTRY_TEXTS } from '../account/entry.texts.js';
import { signInApi } from '../sign-in/sign-in.api.js';
import { isInvalidLink, LINK_TEXTS } from './links.texts.js';

/** Anyone who has an account already joins the workspace with it; anybody else chooses a password. */
export function Invitation({ token }: { readonly token: string }) {
  const { links, invalidTitle } = useTexts(LINK_TEXTS);
  const { working } = useTexts(PAGE_TEXTS);
  const { entries } = useTexts(ENTRY_TEXTS);
  const texts = links.invitation;
  const query = useQuery({
    queryKey: ['invitation', token],
    queryFn: () => signInApi.lookAtInvitation(token),
    gcTime: 0,
  });
  const accept = useMutation({
    mutationFn: ({ newPassword }: Values) => signInApi.acceptInvitation(token, newPassword),
  });
  const decline = useMutation({ mutationFn: () => signInApi.declineInvitation(token) });
  const isInvalid = [query, accept, decline].some(({ error }) => isInvalidLink(error));
  const workspace = query.data?.workspace ?? '';
  if (isInvalid || accept.isSuccess || decline.isSuccess) {
    const [title, text] = isInvalid
      ? [invalidTitle, texts.invalid]
      : decline.isSuccess
        ? [texts.declinedTitle, texts.declinedText]
        : [texts.doneTitle, query.data?.needsPassword ? texts.doneText : texts.joinedText(workspace)];
    return (
      <Page title={title}>
        <Text role="status">{text}</Text>
        {accept.isSuccess ? <SignInLink /> : null}
      </Page>
    );
  }
  return (
    <Page title={texts.title}>
      <Loaded query={query} label={working} lines={4}>
        {({ email, needsPassword, signsInBy }) => (
          <>
            <Text>{texts.to(workspace, email)}</Text>
            <Text>{needsPassword ? texts.text : texts.join}</Text>
            {signsInBy === 'password' ? null : <Text>{entries[signsInBy]}</Text>}
            <Form action={accept} submit={texts.button}>
              {needsPassword ? <NewPasswordInput /> : null}
            </Form>
            <Button variant="default" loading={decline.isPending} onClick={() => decline.mutate()}>
              {texts.decline}
            </Button>
          </>
        )}
      </Loaded>
    </Page>
  );
}
