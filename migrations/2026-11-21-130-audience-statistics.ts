import { Migration } from '@mikro-orm/migrations';

/**
 * Targeting asks for states and countries without regard to case, and for the first five characters of zips. Without figures about these expressions
 * the planner takes every such audience for half a percent of all people, and looks up a quarter of a million of them one by one.
 */
export class AudienceStatistics extends Migration {
  override up(): void {
    this.addSql(`
      create statistics core_user_state_statistics on (upper(state)) from core_user;
      create statistics core_user_country_statistics on (lower(country)) from core_user;
      create statistics core_user_region_statistics on (lower(region)) from core_user;
      create statistics core_user_zip_statistics on ("left"(zip, 5)) from core_user;
      create statistics core_location_county_statistics on (lower(us_county)) from core_location;
    `);
  }
}
