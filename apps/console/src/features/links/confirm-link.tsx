import { ApiProblem } from '@crm/api-client';
import { useTexts } from '@crm/ui';
import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Form } from '../sign-in/parts/form.js';
import { Page, SignInLink } from '../sign-in/parts/page.js';
import { signInApi } from '../sign-in/sign-in.api.js';
import { type ConfirmKind, isInvalidLink, LINK_TEXTS } from './links.texts.js';

export function NoToken() {
  const texts = useTexts(LINK_TEXTS);
  return (
    <Page title={texts.noToken}>
      <Text>{texts.noTokenText}</Text>
    </Page>
  );
}

export interface LinkEndProps {
  readonly title: string;
  readonly text: string;
  readonly children?: ReactNode;
}

export function LinkEnd({ title, text, children }: LinkEndProps) {
  return (
    <Page title={title}>
      <Text role="status">{text}</Text>
      {children}
    </Page>
  );
}

const ACTS: Readonly<Record<ConfirmKind, (token: string) => Promise<void>>> = {
  'email-change': signInApi.confirmEmailChange,
  'email-change-undo': signInApi.undoEmailChange,
  'undo-link': signInApi.undoLink,
};

export interface ConfirmLinkProps {
  readonly kind: ConfirmKind;
  readonly token: string | undefined;
}

/** A link that does one thing, once somebody says so: programs that scan mails open links, but press no button. */
export function ConfirmLink({ kind, token }: ConfirmLinkProps) {
  const { links, invalidTitle } = useTexts(LINK_TEXTS);
  const texts = links[kind];
  const action = useMutation({ mutationFn: () => ACTS[kind](token as string) });

  if (token === undefined) return <NoToken />;
  if (action.isSuccess) {
    return (
      <LinkEnd title={texts.doneTitle} text={texts.doneText}>
        {kind === 'email-change' ? <SignInLink /> : null}
      </LinkEnd>
    );
  }
  if (action.error instanceof ApiProblem && isInvalidLink(action.error.code)) {
    return <LinkEnd title={invalidTitle} text={texts.invalid} />;
  }
  return (
    <Page title={texts.title}>
      <Text>{texts.text}</Text>
      <Form action={action} submit={texts.button} />
    </Page>
  );
}
