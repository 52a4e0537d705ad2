/** Something that waits until a test lets it go on. */
export class Gate {
  readonly opened: Promise<void>;
  open: () => void;

  constructor() {
    this.opened = new Promise((resolve) => {
      this.open = resolve;
    });
  }
}
