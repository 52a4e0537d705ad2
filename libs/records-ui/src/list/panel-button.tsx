import { Button, Popover } from '@mantine/core';
import { type ReactNode, useState } from 'react';

interface PanelButtonProps {
  readonly label: string;
  readonly width: string;
  /** What is in the panel. */
  readonly children: (close: () => void) => ReactNode;
}

/** A button of a list with a panel below it. Open from the beginning: a click has asked for it. */
export function PanelButton({ label, width, children }: PanelButtonProps) {
  const [isOpen, setOpen] = useState(true);
  return (
    <Popover opened={isOpen} onChange={setOpen} trapFocus position="bottom-start" shadow="md" width={width}>
      <Popover.Target>
        <Button variant="default" onClick={() => setOpen(!isOpen)}>
          {label}
        </Button>
      </Popover.Target>
      <Popover.Dropdown>{children(() => setOpen(false))}</Popover.Dropdown>
    </Popover>
  );
}
