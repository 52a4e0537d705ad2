import { ApiProblem, problemInWords } from '@crm/api-client';
import { Alert, Button, EmptyState, Skeleton, Stack, Text, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import { catalogue, useLocale, useTexts } from './locale.js';

const TEXTS = catalogue({
  en: { retry: 'Try again', requestId: 'Request' },
  de: { retry: 'Erneut versuchen', requestId: 'Anfrage' },
});

export interface ProblemNoticeProps {
  readonly problem: unknown;
  readonly onRetry?: () => unknown;
}

/** What went wrong in words, with the id that support asks for. */
export function ProblemNotice({ problem, onRetry }: ProblemNoticeProps) {
  const { language } = useLocale();
  const texts = useTexts(TEXTS);
  const { title, text } = problemInWords(problem, language);
  const requestId = problem instanceof ApiProblem ? problem.requestId : undefined;
  return (
    <Alert role="alert" color="red" title={title} my="sm">
      {text}
      {requestId ? (
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

/** What is said where there is nothing yet, and what to do about it. */
export function EmptyNotice({
  title,
  text,
  action,
}: {
  readonly title: string;
  readonly text?: string;
  readonly action?: ReactNode;
}) {
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
