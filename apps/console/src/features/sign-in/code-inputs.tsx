import { Copy, Form, LoadingLines, PAGE_TEXTS, Page, REQUIRED, useTexts, type Values, type Words } from '@crm/ui';
import { Anchor, Button, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { lazy, Suspense, useState } from 'react';
import { SECOND_FACTOR_TEXTS } from './second-factor.texts.js';

const DIGITS = '\\s*(\\d\\s*){6}';

/** Few sign-ins need it. */
const QrCode = lazy(() => import('./qr-code.js'));

export interface CodeFormProps {
  /** Where the code comes from. */
  readonly text?: string;
  /** What the button says. */
  readonly submit?: string;
  readonly words?: Words;
  /** True when a recovery code can take the place of the digits. */
  readonly takesRecovery?: boolean;
  readonly onCode: (code: string) => Promise<unknown>;
  readonly onCancel?: () => void;
}

/** Six digits, which some apps show in two groups, so that they are copied with a space; or a recovery code. */
export function CodeForm({ text, submit, words, takesRecovery = false, onCode, onCancel }: CodeFormProps) {
  const texts = useTexts(SECOND_FACTOR_TEXTS);
  const [isRecovery, setIsRecovery] = useState(false);
  const action = useMutation({ mutationFn: ({ code = '' }: Values) => onCode(code) });
  const kind = isRecovery
    ? { label: texts.recoveryCode, autoComplete: 'off', autoCapitalize: 'characters', spellCheck: false, maxLength: 40 }
    : {
        label: texts.code,
        autoComplete: 'one-time-code',
        inputMode: 'numeric' as const,
        pattern: DIGITS,
        maxLength: 16,
      };
  return (
    <>
      {text ? <Text role="status">{isRecovery ? texts.recoveryText : text}</Text> : null}
      <Form action={action} submit={submit ?? texts.submit} words={{ ...texts.problems, ...words }} onCancel={onCancel}>
        <TextInput {...REQUIRED} {...kind} key={kind.label} name="code" title={kind.label} />
      </Form>
      {takesRecovery ? (
        <Anchor component="button" type="button" onClick={() => setIsRecovery(!isRecovery)}>
          {isRecovery ? texts.useApp : texts.useRecovery}
        </Anchor>
      ) : null}
    </>
  );
}

export interface AuthenticatorFormProps extends CodeFormProps {
  readonly setup: { readonly secret: string; readonly otpauthUri: string };
}

/** What an authenticator app is set up with; it counts once a code of it has been typed in. */
export function AuthenticatorForm({ setup, ...form }: AuthenticatorFormProps) {
  const texts = useTexts(SECOND_FACTOR_TEXTS);
  const { working } = useTexts(PAGE_TEXTS);
  return (
    <>
      <Text>{texts.scanText}</Text>
      <Suspense fallback={<LoadingLines label={working} />}>
        <QrCode text={setup.otpauthUri} label={texts.qrLabel} />
      </Suspense>
      <Text c="dimmed" className="whole">
        {texts.secretText} <code>{setup.secret}</code>
      </Text>
      <CodeForm {...form} submit={texts.confirm} />
    </>
  );
}

/** The sign-in is complete by now; it goes on when someone says that they have the codes. */
export function RecoveryCodes({ codes, onKept }: { readonly codes: readonly string[]; readonly onKept: () => void }) {
  const texts = useTexts(SECOND_FACTOR_TEXTS);
  return (
    <Page title={texts.codesTitle}>
      <Text>{texts.codesText}</Text>
      <ul className="codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <Copy text={codes.join('\n')} label={texts.copy} />
      <Button onClick={onKept}>{texts.kept}</Button>
    </Page>
  );
}
