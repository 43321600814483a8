// Original file: proto/latchkey/v1/api_key_service.proto


export interface ReportUsesResponse {
}

export interface ReportUsesResponse__Output {
}
