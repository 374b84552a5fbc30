const collator = new Intl.Collator('en', { numeric: true, sensitivity: 'base' });

/** Natural order: "card 2" comes before "card 10". */
export const naturalOrder = (a: string, b: string) => collator.compare(a, b);
