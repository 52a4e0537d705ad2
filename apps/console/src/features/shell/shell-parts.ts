import type { CallerView } from '@crm/api-client';
import { type ComponentType, createContext, type ReactNode } from 'react';

export interface UserMenuProps {
  readonly caller: CallerView | undefined;
  readonly onShortcuts: () => void;
  /** What opens it. */
  readonly button: (props: object) => ReactNode;
}

export interface ShellParts {
  /** The menu of the signed-in user. */
  readonly UserMenu: ComponentType<UserMenuProps>;
  /** Covers the page while its session has ended. */
  readonly SignInAgain: ComponentType;
}

/** What the frame shows without importing it: where these parts lead is none of its business. */
export const ShellPartsContext = createContext<ShellParts>({ UserMenu: () => null, SignInAgain: () => null });
