// SPDX-License-Identifier: Apache-2.0
/** Charts of the last hour, drawn by uPlot, which is loaded with the first of them. */
import {byteRate, bytes, clock, NONE, short} from "../format.js";
import {html, useEffect, useMemo, useRef, useState} from "../lib.js";
import {t, spoken} from "../i18n.js";
import {onSetting} from "../settings.js";
import {useId} from "./form.js";

const LIBRARY = new URL("../lib/uplot/dist/", import.meta.url);
const HEIGHT = 170;
const FEW_SECONDS = 600;
const LEAST_SECONDS = 300; // of the axis of time, on a server that has hardly begun
const TABLE_ROWS = 12;
const POWERS_OF_TWO = Array.from({length: 50}, (each, power) => 2 ** power); // between two ticks of bytes
const DASHES = [[], [7, 3], [2, 3], [10, 3, 2, 3]]; // so that lines differ without colors as well
let library;

function load() {
    library ??= new Promise((resolve, reject) => {
        const style = document.createElement("link");
        style.rel = "stylesheet";
        style.href = new URL("uPlot.min.css", LIBRARY).href;
        const script = document.createElement("script");
        script.src = new URL("uPlot.iife.min.js", LIBRARY).href;
        script.onload = () => resolve(globalThis.uPlot);
        script.onerror = () => {
            library = undefined;
            reject(new Error(script.src));
        };
        document.head.append(style, script);
    });
    return library;
}

/**
 * Figures over time, all of one unit.
 *
 * @param series each {name, values}: numbers, or null where nothing is known, oldest first, all equally many
 * @param level of its heading
 * @param end when the last value was, as ISO text or milliseconds; step is the seconds between two
 * @param format says a value with its unit
 */
export function Chart({title, level = 3, series, end, step, format}) {
    const place = useRef();
    const plot = useRef();
    const heading = useId();
    const [version, setVersion] = useState(0);
    const [at, setAt] = useState();
    const data = useMemo(() => columns(series, end, step), [series, end, step]);
    const drawn = useRef();
    drawn.current = {data, format, range: timeRange(data[0], secondsOf(end), step)};
    const names = series.map(each => each.name).join("|");
    useEffect(() => onSetting(() => setVersion(before => before + 1)), []);
    useEffect(() => {
        const scheme = matchMedia("(prefers-color-scheme: dark)");
        const listener = () => setVersion(before => before + 1);
        scheme.addEventListener("change", listener);
        return () => scheme.removeEventListener("change", listener);
    }, []);
    useEffect(() => {
        let gone = false;
        const resized = new ResizeObserver(([entry]) =>
            plot.current?.setSize({width: Math.floor(entry.contentRect.width), height: HEIGHT}));
        load().then(Plot => {
            if (!gone) {
                plot.current = new Plot(options(place.current, series, drawn, setAt), drawn.current.data,
                    place.current);
                resized.observe(place.current);
            }
        }, failure => console.error(failure));
        return () => {
            gone = true;
            resized.disconnect();
            plot.current?.destroy();
            plot.current = undefined;
        };
    }, [names, version, spoken()]);
    useEffect(() => {
        plot.current?.setData(data);
    }, [data]);
    const index = at ?? data[0].length - 1;
    return html`<figure class="panel chart" aria-labelledby=${heading}>
        <figcaption class="row spread"><${`h${level}`} id=${heading}>${title}<//>
            <span class="quiet small numbers">${at === undefined ? t("chart.now")
                : clock(data[0][at] * 1000)}</span></figcaption>
        <ul class="legend">${series.map((each, number) => html`<li key=${each.name}>
            <span class="swatch series-${number + 1}" aria-hidden="true"></span>${each.name}
            <strong class="numbers">${format(each.values[index])}</strong></li>`)}</ul>
        <div class="plot" ref=${place} aria-hidden="true"></div>
        <details class="small"><summary>${t("chart.table")}<span class="hidden-visually">: ${title}</span></summary>
            <${Figures} title=${title} series=${series} times=${data[0]} format=${format} /></details>
    </figure>`;
}

/** The same as numbers, for those who do not see the lines: the mean of each twelfth. */
function Figures({title, series, times, format}) {
    const size = Math.max(1, Math.ceil(times.length / TABLE_ROWS));
    const rows = [];
    for (let begin = 0; begin < times.length; begin += size) {
        rows.push(begin);
    }
    return html`<div class="table" role="group" tabindex="0" aria-label=${title}><table>
        <thead><tr><th scope="col">${t("chart.from")}</th>${series.map(each =>
            html`<th scope="col" class="end">${each.name}</th>`)}</tr></thead>
        <tbody>${rows.map(begin =>
            html`<tr key=${begin}><th scope="row" class="numbers">${clock(times[begin] * 1000)}</th>
            ${series.map(each => html`<td
                class="end">${format(mean(each.values.slice(begin, begin + size)))}</td>`)}</tr>`)}</tbody>
    </table></div>`;
}

function mean(values) {
    const known = values.filter(each => each !== null && each !== undefined);
    return known.length === 0 ? undefined : known.reduce((sum, each) => sum + each, 0) / known.length;
}

/** The first and the last second of the axis of time: of a few points a while before them, too. */
export function timeRange(times, last, step) {
    return [last - Math.max(LEAST_SECONDS, (times.length - 1) * step), last];
}

function secondsOf(moment) {
    return Math.floor(new Date(moment).getTime() / 1000);
}

function columns(series, end, step) {
    const length = Math.max(0, ...series.map(each => each.values.length));
    const last = secondsOf(end);
    const times = Array.from({length}, (each, index) => last - (length - 1 - index) * step);
    return [times, ...series.map(each => each.values)];
}

function options(place, series, drawn, setAt) {
    const style = getComputedStyle(place);
    const color = name => resolved(place, `var(${name})`);
    const inBytes = [bytes, byteRate].includes(drawn.current.format);
    const axis = {stroke: color("--quiet"), grid: {stroke: color("--line"), width: 1}, ticks: {show: false},
        font: `12px ${style.fontFamily}`};
    return {
        width: Math.max(200, Math.floor(place.clientWidth)),
        height: HEIGHT,
        legend: {show: false},
        cursor: {y: false, points: {size: 6}, drag: {x: false, y: false}},
        scales: {x: {time: true, range: () => drawn.current.range},
            y: {range: (plot, low, high) => [0, high > 0 ? high * 1.1 : 1]}},
        axes: [
            {...axis, size: 30, values: (plot, ticks) => ticks.map(each => moment(each, plot.scales.x))},
            {...axis, size: 68, ...(inBytes ? {incrs: POWERS_OF_TWO} : {}), values: (plot, ticks) =>
                ticks.map(each => label(each, drawn.current.format))},
        ],
        series: [{}, ...series.map((each, index) => ({
            label: each.name, stroke: color(`--series-${index + 1}`), width: 1.75, dash: DASHES[index],
                points: {show: false},
        }))],
        hooks: {setCursor: [plot => setAt(plot.cursor.idx ?? undefined)]},
    };
}

/** A tick of the time, with seconds where all of it are a few minutes. */
function moment(seconds, {min, max}) {
    const text = clock(seconds * 1000);
    return max - min < FEW_SECONDS ? text : text.slice(0, "12:00".length);
}

/** A tick with its unit where that is short enough, else the number alone. */
function label(value, format) {
    const text = format(value);
    return text === NONE || text.length > 10 ? short(value) : text;
}

/** The color that a value of the style sheet is in the theme of now: a canvas knows no variables. */
function resolved(place, value) {
    const probe = document.createElement("span");
    probe.style.color = value;
    place.append(probe);
    const color = getComputedStyle(probe).color;
    probe.remove();
    return color;
}
