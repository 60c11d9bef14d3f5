// @ts-check
// One plot: uPlot, which draws thousands of points in a few milliseconds, in an element that preact leaves alone. It follows the width of
// its panel and the colours of the page.
import { Component, h } from 'preact';
import uPlot from 'uplot';

const HEIGHT = 180;

/**
 * @typedef {object} Look
 * @property {(name: string) => string} colourOf a colour of the style sheet
 * @property {{ stroke: string, grid: { stroke: string, width: number }, ticks: { show: boolean } }} axis
 * @property {string} font
 *
 * @typedef {(look: Look) => Omit<uPlot.Options, 'width' | 'height'>} Make
 * @typedef {{ make: Make, data: uPlot.AlignedData }} Props
 */

/** @extends {Component<Props>} */
export class Drawing extends Component {
  /** @param {Props} props */
  constructor(props) {
    super(props);
    /** @type {uPlot | null} */
    this.drawn = null;
    /** @type {HTMLElement | null} */
    this.place = null;
    this.resized = new ResizeObserver(() => this.fit());
    this.scheme = matchMedia('(prefers-color-scheme: dark)');
    this.redraw = () => {
      this.drawn?.destroy();
      this.draw();
    };
  }

  /** @override */
  componentDidMount() {
    this.draw();
    if (this.place !== null) this.resized.observe(this.place);
    this.scheme.addEventListener('change', this.redraw);
  }

  /** @override */
  componentWillUnmount() {
    this.resized.disconnect();
    this.scheme.removeEventListener('change', this.redraw);
    this.drawn?.destroy();
  }

  /** @override */
  componentDidUpdate() {
    this.drawn?.setData(this.props.data);
  }

  fit() {
    if (this.place !== null) this.drawn?.setSize({ width: this.place.clientWidth, height: HEIGHT });
  }

  draw() {
    if (this.place === null) return;
    const { make, data } = /** @type {Props} */ (this.props);
    const probe = document.createElement('span');
    this.place.append(probe);
    const colourOf = (/** @type {string} */ name) => {
      probe.style.color = `var(${name})`;
      return getComputedStyle(probe).color;
    };
    const axis = { stroke: colourOf('--soft'), grid: { stroke: colourOf('--line'), width: 1 }, ticks: { show: false } };
    const font = `11px ${getComputedStyle(document.documentElement).fontFamily}`;
    const options = make({ colourOf, axis, font });
    probe.remove();
    const size = { width: this.place.clientWidth || 400, height: HEIGHT };
    this.drawn = new uPlot({ cursor: { points: { size: 6 } }, ...options, ...size }, data, this.place);
  }

  /** @override */
  render() {
    return h('div', {
      class: 'drawing',
      ref: (/** @type {HTMLElement | null} */ place) => {
        if (place !== null) this.place = place;
      },
    });
  }
}
