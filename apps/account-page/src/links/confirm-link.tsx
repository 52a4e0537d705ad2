import { ApiProblem } from '@crm/api-client';
import { useTexts } from '@crm/ui';
import { type ReactNode, useState } from 'react';
import { accountApi } from '../api/account-api.js';
import { Form } from '../parts/form.js';
import { Page, SignInLink } from '../parts/page.js';
import { useAction } from '../use-action.js';
import { type ConfirmKind, isInvalidLink, LINK_TEXTS } from './links.texts.js';

export function NoToken() {
  const texts = useTexts(LINK_TEXTS);
  return (
    <Page title={texts.noToken}>
      <p>{texts.noTokenText}</p>
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
      <p role="status">{text}</p>
      {children}
    </Page>
  );
}

const ACTS: Readonly<Record<ConfirmKind, (token: string) => Promise<void>>> = {
  'email-change': accountApi.confirmEmailChange,
  'email-change-undo': accountApi.undoEmailChange,
  'undo-link': accountApi.undoLink,
};

export interface ConfirmLinkProps {
  readonly kind: ConfirmKind;
  readonly token: string | undefined;
}

/** A link that does one thing, once somebody says so: programs that scan mails open links, but press no button. */
export function ConfirmLink({ kind, token }: ConfirmLinkProps) {
  const { links, invalidTitle } = useTexts(LINK_TEXTS);
  const texts = links[kind];
  const [isDone, setIsDone] = useState(false);
  const action = useAction(async () => {
    await ACTS[kind](token as string);
    setIsDone(true);
  });

  if (token === undefined) return <NoToken />;
  if (isDone) {
    return (
      <LinkEnd title={texts.doneTitle} text={texts.doneText}>
        {kind === 'email-change' ? <SignInLink /> : null}
      </LinkEnd>
    );
  }
  if (action.problem instanceof ApiProblem && isInvalidLink(action.problem.code)) {
    return <LinkEnd title={invalidTitle} text={texts.invalid} />;
  }
  return (
    <Page title={texts.title}>
      <p>{texts.text}</p>
      <Form action={action} submit={texts.button} />
    </Page>
  );
}
