import { ApiProblem } from '@crm/api-client';
import { CurrentPasswordInput, Form, ProblemNotice, Question, useTexts, type Values } from '@crm/ui';
import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { SignedIn } from '../../session/session.js';
import { useSession } from '../../session/session-context.js';
import type { SignInAnswer } from '../sign-in/sign-in.api.js';
import { SignIn } from '../sign-in/sign-in.js';
import { SIGN_IN_TEXTS } from '../sign-in/sign-in.texts.js';
import { useAccountApi, type WorkspaceOfPerson } from './account.api.js';
import { WORKSPACE_TEXTS } from './workspaces.texts.js';

type Entered = Pick<WorkspaceOfPerson, 'tenantId' | 'name'> & {
  /** With which it was listed. */
  readonly password?: string | undefined;
};

/**
 * Enters another workspace of the person, in every window: at once, or with what its sign-in still asks for.
 * @returns the act, and the question that it may lead to
 */
export function useWorkspaceEntry(): { readonly enter: (workspace: Entered) => void; readonly question: ReactNode } {
  const texts = useTexts(WORKSPACE_TEXTS);
  const { password: label } = useTexts(SIGN_IN_TEXTS);
  const api = useAccountApi();
  const session = useSession();
  const navigate = useNavigate();
  // What is open belongs to the workspace before.
  const start = () => navigate({ to: '/' });
  const [workspace, setWorkspace] = useState<Entered>();
  const [step, setStep] = useState<SignInAnswer>();
  const entry = useMutation({
    mutationFn: async ({ tenantId, password }: { tenantId: string; password?: string | undefined }) => {
      const answer = await api.enterWorkspace(tenantId, password);
      if (answer.accessToken === undefined) return setStep(answer);
      await start();
      return session.begin(answer as SignedIn);
    },
  });
  const close = (): void => {
    setWorkspace(undefined);
    setStep(undefined);
    entry.reset();
  };
  const { error } = entry;
  const tenantId = workspace?.tenantId ?? '';
  // A provider speaks for its own workspace, and an old proof sets up no second factor.
  const needsPassword =
    (error instanceof ApiProblem && error.code === 'STEP_UP_REQUIRED') ||
    entry.variables?.password !== workspace?.password;
  const isRefused = needsPassword && error instanceof ApiProblem && error.code !== 'STEP_UP_REQUIRED';
  const asking = { ...entry, mutate: ({ password }: Values) => entry.mutate({ tenantId, password }) };
  const question =
    workspace && (step || error || needsPassword) ? (
      <Question title={texts.enterTitle(workspace.name)} onClose={close}>
        {step ? <SignIn answer={step} onDone={() => void start()} /> : null}
        {!step && needsPassword ? (
          <>
            <Text>{texts.enterText}</Text>
            <Form
              action={{ ...asking, error: isRefused ? error : null }}
              submit={texts.enter}
              words={texts.problems}
              onCancel={close}
            >
              <CurrentPasswordInput label={label} />
            </Form>
          </>
        ) : null}
        {error && !needsPassword ? <ProblemNotice problem={error} words={texts.problems} /> : null}
      </Question>
    ) : null;
  return {
    enter: (chosen) => {
      setWorkspace(chosen);
      entry.mutate({ tenantId: chosen.tenantId, password: chosen.password });
    },
    question,
  };
}
