// Dials: an arc that is full at the upper end of the scale.
import { formattedValueToString } from '@grafana/data';
import { repeated, type One } from './single';
import type { ViewProps } from './view';

const from = -120; // degrees, 0 is upward
const to = 120;

function arc(cx: number, cy: number, r: number, a: number, b: number): string {
  const point = (deg: number) => {
    const rad = ((deg - 90) * Math.PI) / 180;
    return `${cx + r * Math.cos(rad)} ${cy + r * Math.sin(rad)}`;
  };
  return `M ${point(a)} A ${r} ${r} 0 ${b - a > 180 ? 1 : 0} 1 ${point(b)}`;
}

export function GaugeView(props: ViewProps) {
  const { theme } = props.ctx;
  return repeated(props, true, ({ value: { display, field }, width, height }: One) => {
    const min = field.min ?? 0;
    const share = Math.min(1, Math.max(0, (display.numeric - min) / ((field.max ?? 100) - min))) || 0;
    const r = Math.max(10, Math.min(width / 2, height * 0.55) - 16);
    const cy = r + 12;
    const thick = r / 4;
    return (
      <svg width={width} height={height} className="dial">
        <path d={arc(width / 2, cy, r, from, to)} stroke={theme.colors.background.secondary} strokeWidth={thick} fill="none" />
        {share > 0 && <path d={arc(width / 2, cy, r, from, from + share * (to - from))} stroke={display.color} strokeWidth={thick} fill="none" />}
        <text x={width / 2} y={cy + r / 6} textAnchor="middle" fontSize={r / 2.5} fill={theme.colors.text.primary}>{formattedValueToString(display)}</text>
        <text x={width / 2} y={height - 6} textAnchor="middle" fontSize={12} fill={theme.colors.text.secondary}>{display.title}</text>
      </svg>
    );
  });
}
