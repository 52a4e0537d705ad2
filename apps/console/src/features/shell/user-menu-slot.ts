import type { CallerView } from '@crm/api-client';
import { type ComponentType, createContext, type ReactNode } from 'react';

export interface UserMenuProps {
  readonly caller: CallerView | undefined;
  readonly onShortcuts: () => void;
  /** What opens it. */
  readonly button: (props: object) => ReactNode;
}

/** The menu of whoever is signed in: what it leads to is no business of the frame. */
export const UserMenuSlot = createContext<ComponentType<UserMenuProps>>(() => null);
