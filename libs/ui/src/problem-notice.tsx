import { ApiProblem, problemInWords } from '@crm/api-client';
import { Alert, Button, EmptyState, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { catalogue, useLocale, useTexts } from './locale.js';

const TEXTS = catalogue({
  en: { retry: 'Try again', requestId: 'Request' },
  de: { retry: 'Erneut versuchen', requestId: 'Anfrage' },
});

/** What codes of problems mean in a view; others mean the same everywhere. */
export type Words = Readonly<Record<string, string>>;

export interface ProblemNoticeProps {
  readonly problem: unknown;
  readonly words?: Words;
  readonly onRetry?: () => unknown;
}

/** What went wrong in words, with the id that support asks for where the view does not know why. Read out when it appears. */
export function ProblemNotice({ problem, words, onRetry }: ProblemNoticeProps) {
  const { language } = useLocale();
  const texts = useTexts(TEXTS);
  const { code = '', requestId } = problem instanceof ApiProblem ? problem : {};
  const known = words?.[code];
  const { title, text } = problemInWords(problem, language);
  return (
    <Alert role="alert" color="red" {...(known ? { py: 'xs' } : { title, my: 'sm' })}>
      <div>{known ?? text}</div>
      {requestId && !known ? (
        <Text size="xs" c="dimmed" mt={4}>
          {texts.requestId} {requestId}
        </Text>
      ) : null}
      {onRetry ? (
        <Button variant="default" size="xs" mt="sm" onClick={() => void onRetry()}>
          {texts.retry}
        </Button>
      ) : null}
    </Alert>
  );
}

export interface EmptyNoticeProps {
  readonly title: string;
  readonly text?: string;
  readonly action?: ReactNode;
}

/** What is said where there is nothing yet, and what to do about it. */
export function EmptyNotice({ title, text, action }: EmptyNoticeProps) {
  return (
    <EmptyState py="xl" px="md" role="status">
      <EmptyState.Title>{title}</EmptyState.Title>
      {text ? <EmptyState.Description>{text}</EmptyState.Description> : null}
      {action ? <EmptyState.Actions>{action}</EmptyState.Actions> : null}
    </EmptyState>
  );
}

/** The shape of what is loading. @param label what screen readers announce */
export function LoadingLines({ label, lines = 6 }: { readonly label: string; readonly lines?: number }) {
  return (
    <Stack gap="sm" p="md" role="status">
      <VisuallyHidden>{label}</VisuallyHidden>
      {Array.from({ length: lines }, (_, line) => (
        <Skeleton key={line} h={18} w={`${90 - ((line * 17) % 40)}%`} />
      ))}
    </Stack>
  );
}

export interface LoadedProps<Value> {
  readonly query: { readonly data: Value | undefined; readonly error: unknown; readonly refetch: () => unknown };
  /** What screen readers announce until it is there. */
  readonly label: string;
  readonly lines?: number;
  readonly children: (value: Value) => ReactNode;
}

/** What was loaded, its shape until then, or why it was not. */
export function Loaded<Value>({ query: { data, error, refetch }, label, lines, children }: LoadedProps<Value>) {
  if (data !== undefined) return children(data);
  return error ? <ProblemNotice problem={error} onRetry={refetch} /> : <LoadingLines label={label} lines={lines} />;
}
