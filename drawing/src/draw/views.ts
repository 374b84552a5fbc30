// From which sides each dashboard is looked at.
import type { Drawn } from '../page/record';

/** One look at a dashboard. */
export interface View {
  name: string;
  theme: 'dark' | 'light';
  width: number; // pixels
  chosen: Record<string, string[]>; // by variable; what is not there stays as the dashboard has it
  picture: boolean;
}

/** The narrowest width at which nothing may have to be scrolled sideways. */
export const desktop = 1400;

/** A phone in the hand. */
export const phone = 390;

export const pictures: View[] = [
  { name: 'dark', theme: 'dark', width: desktop, chosen: {}, picture: true },
  { name: 'light', theme: 'light', width: desktop, chosen: {}, picture: true },
  { name: 'phone-dark', theme: 'dark', width: phone, chosen: {}, picture: true },
  { name: 'phone-light', theme: 'light', width: phone, chosen: {}, picture: true },
];

/** Views with one and with several values of each variable that has several. */
export function choiceViews(variables: Drawn['variables']): View[] {
  return variables.filter((v) => v.options.length > 1).flatMap(({ name, options }) => {
    const several = options.slice(-2);
    return [
      { name: `${name}=${options[0]}`, theme: 'dark' as const, width: desktop, chosen: { [name]: [options[0]] }, picture: false },
      { name: `${name}=${several.join('+')}`, theme: 'dark' as const, width: desktop, chosen: { [name]: several }, picture: false },
    ];
  });
}
