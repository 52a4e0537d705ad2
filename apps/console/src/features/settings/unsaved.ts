/** What of a form's changes is left when those that were sent are saved: inputs stay open meanwhile. */
export const unsaved = <Form extends object>(changed: Partial<Form>, sent: Partial<Form>): Partial<Form> =>
  Object.fromEntries(
    Object.entries(changed).filter(([name, value]) => value !== sent[name as keyof Form]),
  ) as Partial<Form>;
