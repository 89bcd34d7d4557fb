/** tmp */
import type { ReportReading } from '../readings/read-report.ts';
export const isReportPage = (text: string): boolean => text.startsWith('<!doctype html>');
export const reportPage = (_reading: ReportReading, _of: { profile: string; environment: string }): string => '';
