import { Button, Popover } from '@mantine/core';
import { type ReactNode, useEffect, useRef, useState } from 'react';

interface PanelButtonProps {
  readonly label: string;
  readonly width: string;
  /** What is in the panel. */
  readonly children: (close: () => void) => ReactNode;
}

/** A button of a list with a panel below it, which opens at once: a click has asked for it. */
export function PanelButton({ label, width, children }: PanelButtonProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    // The button that was clicked has gone; what opens from here on gives the focus back to this one.
    button.current?.focus();
    setOpen(true);
  }, []);
  return (
    <Popover opened={isOpen} onChange={setOpen} trapFocus returnFocus position="bottom-start" shadow="md" width={width}>
      <Popover.Target>
        <Button ref={button} variant="default" onClick={() => setOpen(!isOpen)}>
          {label}
        </Button>
      </Popover.Target>
      {/* Scrolling the page instead would move the button out of sight, and the panel would close. */}
      <Popover.Dropdown mah="calc(100dvh - 13rem)" style={{ overflowY: 'auto' }}>
        {children(() => setOpen(false))}
      </Popover.Dropdown>
    </Popover>
  );
}
