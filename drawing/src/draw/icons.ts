// Icons in the place of Grafana's, which its server hands out: they are not part of the components.

const lines: Record<string, string> = {
  'angle-down': 'M6 9l6 6 6-6',
  'angle-right': 'M9 6l6 6-6 6',
  'arrow-down': 'M12 5v14M6 13l6 6 6-6',
  'arrow-up': 'M12 19V5M6 11l6-6 6 6',
  apps: 'M4 4h6v6H4zM14 4h6v6h-6zM4 14h6v6H4zM14 14h6v6h-6z',
  'external-link-alt': 'M18 13v6H5V6h6M14 4h6v6M20 4l-9 9',
  'info-circle': 'M12 3a9 9 0 1 0 0.01 0M12 11v5M12 7.5v0.5',
};

/** An icon by its name; an empty square where there is none of ours. */
export function icon(name: string): string {
  const path = lines[name] ?? 'M5 5h14v14H5z';
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" width="24" height="24" fill="none" stroke="currentColor" stroke-width="2"><path d="${path}"/></svg>`;
}
