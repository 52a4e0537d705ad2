import { Form, Page, useTexts, type Values } from '@crm/ui';
import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { isInvalidLink, LINK_TEXTS } from './links.texts.js';

export interface LinkFormProps<Done> {
  readonly kind: keyof typeof LINK_TEXTS.en.links;
  readonly act: (values: Values) => Promise<Done>;
  /** Fields. */
  readonly children?: ReactNode;
  readonly afterDone?: (done: Done) => ReactNode;
  /** What is there to do instead when the link does not work any more. */
  readonly afterInvalid?: ReactNode;
}

/** A link that does one thing, once someone says so: programs that scan mails open links, but press no button. */
export function LinkForm<Done>({ kind, act, children, afterDone, afterInvalid }: LinkFormProps<Done>) {
  const { links, invalidTitle, problems } = useTexts(LINK_TEXTS);
  const texts = links[kind];
  const action = useMutation({ mutationFn: act });
  const isInvalid = isInvalidLink(action.error);
  if (action.isSuccess || isInvalid) {
    return (
      <Page title={isInvalid ? invalidTitle : texts.doneTitle}>
        <Text role="status">{isInvalid ? texts.invalid : texts.doneText}</Text>
        {action.isSuccess ? afterDone?.(action.data) : afterInvalid}
      </Page>
    );
  }
  return (
    <Page title={texts.title}>
      <Text>{texts.text}</Text>
      <Form action={action} submit={texts.button} words={problems}>
        {children}
      </Form>
    </Page>
  );
}
